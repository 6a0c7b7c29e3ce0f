0001-touch
