"""An image of the tiny guest that has DHCP, metadata and ssh."""
