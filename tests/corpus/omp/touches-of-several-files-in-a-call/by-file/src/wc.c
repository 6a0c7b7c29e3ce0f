0001-read
0002-edit
