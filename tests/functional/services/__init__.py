"""What functional tests need on the host: used if there, else started."""
