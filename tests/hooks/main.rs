//! Bindery as a pre-commit hook: what it does in every state of git's index, and how it gets into a repository.

#[path = "../harness/mod.rs"]
mod harness;
mod managers;
mod repo;
mod states;
