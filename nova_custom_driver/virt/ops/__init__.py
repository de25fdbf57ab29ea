"""Operations: the order of work, and the way back; one a file."""
