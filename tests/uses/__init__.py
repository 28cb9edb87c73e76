"""Stories of each kind of user, from start to end."""
