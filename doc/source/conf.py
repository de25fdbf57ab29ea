"""Sphinx settings; ``sphinx-build -W doc/source doc/build/html``."""

project = "nova-custom-driver"
author = "nova-custom-driver developers"
copyright = f"2026, {author}"

extensions = ["oslo_config.sphinxext", "reno.sphinxext"]
html_theme = "alabaster"
html_theme_options = {
    "description": "A Nova compute driver for libvirt, QEMU and KVM",
    "fixed_sidebar": True,
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
