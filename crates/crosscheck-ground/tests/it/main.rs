//! The world, reached for real.

mod process;
