0001-delete
