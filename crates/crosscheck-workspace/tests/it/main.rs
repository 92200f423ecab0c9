//! The contract vectors of the report parser.

mod vectors;
