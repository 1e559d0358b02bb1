//! `redist serve`: a page to try redistributions on, for this machine's user.

mod answer;
mod bounds;
mod calls;
mod figures;
mod guard;
mod page;
mod server;
mod worker;

use crate::failure::CommandFailure;
use crate::output::print;
use answer::Asked;
use clap::Args;
use std::io;
use std::net::{Ipv4Addr, TcpListener};

/// Opens a page to try redistributions on, on this machine alone.
#[derive(Args)]
pub struct ServeOptions {
    /// The port on 127.0.0.1; 0 for a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,

    /// Open the page in a browser.
    #[arg(long)]
    open: bool,

    /// Reads a request from standard input, and prints its answer.
    #[arg(long, hide = true, conflicts_with_all = ["port", "open"])]
    answer: Option<Asked>,
}

pub fn run(options: ServeOptions) -> Result<(), CommandFailure> {
    if let Some(asked) = options.answer {
        return answer::run(asked);
    }
    let address = (Ipv4Addr::LOCALHOST, options.port);
    let named =
        |error: io::Error| CommandFailure::work(format_args!("127.0.0.1:{}", options.port), error);
    let listener = TcpListener::bind(address).map_err(named)?;
    let port = listener.local_addr().map_err(named)?.port();
    let page = format!("http://127.0.0.1:{port}/");
    print(&format!("{page}\nEnd it with Ctrl-C.\n"))?;
    if options.open
        && let Err(error) = open::that_detached(&page)
    {
        eprintln!("--open: {error}; open {page} yourself");
    }
    server::serve(listener, port).map_err(named)
}
