mod batch;
mod execution;
mod in_place;
mod replicated;
mod rounds;
mod strides;
