//! Files and folders as editors name them, by URIs.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::config;

/// The URI of the `atgpu.toml` in a folder.
pub(super) fn uri_of_settings(folder: &Path) -> String {
    let mut uri = "file://".to_owned();
    let path = folder.join(config::NAME).display().to_string();
    let path = path.replace('\\', "/");
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// The folder of a `file:` URI.
pub(super) fn folder_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    let folder = &path[..path.rfind('/')?];
    let mut bytes = Vec::new();
    let mut rest = folder.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let hex = (*first == b'%').then(|| others.get(..2)).flatten();
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &others[2..] } else { others };
    }
    let path = String::from_utf8(bytes).ok()?;
    // A drive has a slash before it in a URI: `/C:/x` is `C:/x`.
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(if drive { path[1..].to_owned() } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_from_uris() {
        let folder = |uri| folder_of(uri);
        assert_eq!(folder("file:///a/b.atgpu").as_deref(), Some("/a"));
        assert_eq!(
            folder("file:///a%20%C3%A9/b.atgpu").as_deref(),
            Some("/a é")
        );
        assert_eq!(folder("file:///C%3A/x/y.atgpu").as_deref(), Some("C:/x"));
        assert_eq!(
            uri_of_settings(Path::new("/a é")),
            "file:///a%20%C3%A9/atgpu.toml"
        );
        assert_eq!(folder("untitled:Untitled-1"), None);
        assert_eq!(folder("file:///a%/b%zz/c").as_deref(), Some("/a%/b%zz"));
    }
}
