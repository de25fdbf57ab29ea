"""The host: libvirt's connection, domains, events and facts."""
