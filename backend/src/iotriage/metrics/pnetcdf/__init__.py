"""Metrics `pnetcdf.*`: PnetCDF."""
