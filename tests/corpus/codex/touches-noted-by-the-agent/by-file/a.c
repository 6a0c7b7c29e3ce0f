0001-write
