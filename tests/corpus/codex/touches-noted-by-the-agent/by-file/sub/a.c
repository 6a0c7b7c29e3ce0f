0001-read
