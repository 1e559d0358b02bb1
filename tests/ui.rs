//! What `redistribute!` says of wrong input, word for word and place for place.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the `.stderr` files anew; read them before committing.

#[test]
fn ui() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
