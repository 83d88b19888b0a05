//! Tools of another process, over the Model Context Protocol.
