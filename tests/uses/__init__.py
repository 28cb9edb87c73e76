"""What each kind of user does, from start to end."""
