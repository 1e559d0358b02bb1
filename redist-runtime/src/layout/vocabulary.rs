//! The words of the notation, shared by the macro and the run-time parser.
