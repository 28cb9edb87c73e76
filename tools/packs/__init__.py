"""Forged packs: what `ackclock verify` says of a change of each field."""
