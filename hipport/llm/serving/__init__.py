"""A model behind HTTP: requests are batched while others decode; the API is OpenAI's. Needs `hipport[serve]`."""
