"""`tenuto demo`: a worker is killed, and data is rolled back, on a database of its own. `shop.py` and `orders/` are
programs as users write them; the other modules run them and print what happens."""
