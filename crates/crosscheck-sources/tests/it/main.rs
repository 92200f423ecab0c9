//! Debates and documents against loopback.
