//! Narrators from the command line: real programs and a real server on this machine, which answer well, slowly,
//! wrongly, partly and not at all. What they were asked is counted by themselves.
#![cfg(unix)]

mod committed;
mod openai;
mod program;
mod program_faults;
mod sandbox;
mod server;
