0001-delete-failed
