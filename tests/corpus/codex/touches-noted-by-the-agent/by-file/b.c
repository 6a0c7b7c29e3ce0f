0001-move
