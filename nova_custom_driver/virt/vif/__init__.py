"""Network interfaces on the host, by os-vif."""
