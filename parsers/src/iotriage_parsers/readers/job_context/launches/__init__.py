"""The lines of a script that start the application: by which launcher, how many ranks, of which program."""
