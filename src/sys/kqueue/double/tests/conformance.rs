//! What is documented beyond the transcripts.
