"""Queue disciplines against slow references, each written from its paper or RFC."""
