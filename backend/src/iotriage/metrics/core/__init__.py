"""What every formula stands on: values, selections, the register."""
