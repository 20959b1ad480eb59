//! tokio-postgres and sqlx against a server, check by check; run by `cargo xtask apps`.

mod checks;
mod sqlx_checks;
mod tokio_checks;

#[tokio::main]
async fn main() {
    tokio_checks::run().await;
    sqlx_checks::run().await;
}
