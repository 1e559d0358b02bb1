//! What a network costs, measured and kept: schedules are chosen by it.

use crate::arrays::{Parts, case, plan};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::mpi::Calibration;
use redist::plan::schedule::Method;
use redist::{Error, Redistribution};
use redist_mpi_tests::{Case as Trial, Outcome, nodes, unasked_bytes};
use redist_testing::strategies::Case;

pub const CASES: &[Trial] = &[
    Trial::new("calibration::measured", &[2, 3, 4], measured).limit(60),
    Trial::new("calibration::kept", &[3, 4], kept).limit(30),
    Trial::new("calibration::differs", &[2, 3], differs).limit(30),
    Trial::new("calibration::of_one_rank", &[1], of_one_rank).limit(30),
];

/// Every rank has a message for every other.
fn everybody(world: &SimpleCommunicator) -> Case<1> {
    let size = world.size();
    case([60_000], &format!("cyclic(4) onto {size}"), &format!("cyclic onto {size}"))
}

/// All ranks learn the same, and it is none that no network has.
fn measured(world: &SimpleCommunicator) -> Outcome {
    let users = world.duplicate();
    let found = Calibration::measure(&users)?;
    let model = found.model;
    for (number, most) in [(model.startup, 1.0), (model.per_byte, 1e-3)] {
        assert!(number > 0.0 && number < most, "{found}");
    }
    assert!(model.contention >= 0.0 && found.incast >= 0.0, "{found}");
    assert!([unasked_bytes(), 128 << 10, 1 << 20].contains(&found.piece_bytes), "{found}");
    assert_eq!(found.to_string().parse(), Ok(found));
    // It would say that ranks differ.
    found.keep(&users)?;
    let case = everybody(world);
    let mut bound = plan::<u64, 1>(&case).bind(&users)?;
    let expected = match nodes(world) {
        1 => Method::AllAtOnce,
        _ => case.plan().choose(&model, size_of::<u64>()).method,
    };
    assert_eq!(bound.method(), expected, "{found}");
    Parts::new(&case, world.rank() as usize).moved(&mut bound, 1)
}

/// Where ranks are on several nodes, what is kept decides; a model of the user's own goes before.
fn kept(world: &SimpleCommunicator) -> Outcome {
    let (case, is_one_node) = (everybody(world), nodes(world) == 1);
    let redistribution = plan::<u64, 1>(&case);
    for contention in ["0", "1000"] {
        let users = world.duplicate();
        let text = format!("startup 0 per_byte 1 contention {contention} incast 0 piece 1000");
        let calibration: Calibration = text.parse()?;
        calibration.keep(&users)?;
        let mut bound = redistribution.bind(&users)?;
        let at_once = is_one_node || contention == "0";
        assert_eq!(bound.method() == Method::AllAtOnce, at_once, "{}", bound.explain());
        let none = redist::plan::schedule::CostModel { contention: 0.0, ..calibration.model };
        let own = redistribution.binder().cost_model(none).bind(&users)?;
        assert_eq!(own.method(), Method::AllAtOnce);
        Parts::new(&case, world.rank() as usize).moved(&mut bound, 1)?;
    }
    Ok(())
}

fn differs(world: &SimpleCommunicator) -> Outcome {
    let users = world.duplicate();
    let contention = f64::from(world.rank() == 1);
    let text = format!("startup 1e-6 per_byte 1e-9 contention {contention} incast 0 piece 1");
    match text.parse::<Calibration>()?.keep(&users) {
        Err(Error::PeerFailed { rank: 1, reason }) if reason.contains("contention 1") => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn of_one_rank(world: &SimpleCommunicator) -> Outcome {
    match Calibration::measure(world) {
        Err(Error::Unavailable { what, .. }) if what == "a calibration" => {}
        other => return Err(format!("{other:?}").into()),
    }
    let bad = [
        "",
        "startup 1",
        "per_byte 1",
        "startup 1 per_byte 1 contention -1 incast 0 piece 1",
        "startup 1 per_byte 1 contention 1 incast 0",
        "startup 1 per_byte 1 contention 1 incast 0 piece 0",
        "startup 1 per_byte 1 contention 1 incast 0 piece 5000000000",
        "startup 1 per_byte 1 contention 1 incast 0 piece 1 more",
    ];
    for text in bad {
        assert!(text.parse::<Calibration>().is_err(), "{text}");
    }
    Ok(())
}
