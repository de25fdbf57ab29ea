"""A real guest, booted through stock Nova by this driver."""
