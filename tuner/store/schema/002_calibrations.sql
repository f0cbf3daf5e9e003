-- Version 2: what was measured of a device under a driver. Columns as in version 1.
CREATE TABLE calibrations (
  device_uuid    TEXT NOT NULL,
  driver_version INTEGER NOT NULL,
  created_micros INTEGER NOT NULL,
  digest         TEXT NOT NULL,
  body           TEXT NOT NULL,
  PRIMARY KEY (device_uuid, driver_version)
) STRICT;
