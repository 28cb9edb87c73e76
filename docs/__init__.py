"""The documentation: pages, and the site made of them."""
