//! The program as a user meets it: each test starts the built binary on a copy of `fixtures/sample`.
//!
//! What is asserted here is the command line's part of the contract (handbook §2): exit codes, what goes to
//! stdout and what to stderr, the JSON objects. What the handbook says about the code is tested elsewhere.

mod commands;
mod faults;
mod json;
mod output;
mod published;
mod sandbox;
