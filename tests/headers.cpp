// Compiles the headers that all tests include.
