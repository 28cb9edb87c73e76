"""The typed objects of scenarios follow from the engine's schema: ``python -m ackclock.scenario._generate``."""
