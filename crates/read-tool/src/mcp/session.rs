//! How a session begins.

use rmcp::model::{ClientRequest, ErrorData, GetMeta, ProtocolVersion};

use super::malformed::no_handshake;

/// How a session was begun, if it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Session {
    #[default]
    None,
    /// By a handshake.
    Handshake,
    /// By a request that carries its protocol version with it.
    Inline,
}

impl Session {
    /// The session once `request` has come.
    ///
    /// # Errors
    ///
    /// What the request is answered with where it has no place in it.
    pub(super) fn with(self, request: &ClientRequest) -> Result<Self, ErrorData> {
        match request {
            // One that the SDK could not make sense of.
            ClientRequest::CustomRequest(custom) if custom.method == "initialize" => {
                Err(no_handshake(custom.params.as_ref()))
            }
            // The SDK would take none of a version that it does not know, and answer nothing from then on.
            ClientRequest::InitializeRequest(again)
                if self != Self::None
                    && !ProtocolVersion::KNOWN_VERSIONS.contains(&again.params.protocol_version) =>
            {
                Err(ErrorData::invalid_request(
                    "The session has begun already, and goes on in the version that it has.",
                    None,
                ))
            }
            _ if self != Self::None => Ok(self),
            ClientRequest::InitializeRequest(_) => Ok(Self::Handshake),
            // Looking around begins nothing.
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => Ok(self),
            other => {
                let version = other.get_meta().protocol_version().ok_or_else(none)?;
                let lacking = other.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28);
                // The SDK refuses what lacks something, or is of no version that it knows, and waits on.
                let begins = lacking.is_empty() && ProtocolVersion::KNOWN_VERSIONS.contains(&version);
                Ok(if begins { Self::Inline } else { self })
            }
        }
    }
}

/// What is answered to a request that needs a session.
pub(super) fn none() -> ErrorData {
    ErrorData::invalid_request("There is no session yet: send initialize first.", None)
}
