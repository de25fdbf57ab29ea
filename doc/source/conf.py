"""Sphinx settings; ``sphinx-build -W doc/source doc/build/html``."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "doc/ext")]

project = "nova-custom-driver"
author = "nova-custom-driver developers"
copyright = f"2026, {author}"

extensions = [
    "myst_parser",
    "openstackdocstheme",
    "oslo_config.sphinxext",
    "reno.sphinxext",
    "support_matrix",
]
# The names in the tables' headings are no targets to refer to.
myst_heading_anchors = 0

html_theme = "openstackdocs"
html_static_path = ["_static"]
html_css_files = ["wide-tables.css"]
# The project keeps no bug tracker that the theme knows.
html_theme_options = {"display_global_toc_section": True}
openstackdocs_auto_name = False
openstackdocs_repo_name = "nova-custom-driver"
openstackdocs_use_storyboard = False
