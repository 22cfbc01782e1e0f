//! The socket's file: files that are already at its path, and the users who may connect.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use gallium_vtest::server::Server;

/// A new folder, which goes with the value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("vtest-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_and_links_in_the_way_are_kept() {
    let folder = Folder::new("in-the-way");
    let (file, link, dangling) =
        (folder.path("file"), folder.path("link"), folder.path("dangling"));
    fs::write(&file, "precious").expect("a file");
    symlink(&file, &link).expect("a link");
    symlink("nowhere", &dangling).expect("a link");
    for (path, what) in
        [(&file, "a regular file"), (&link, "a symbolic link"), (&dangling, "a symbolic link")]
    {
        let error = Server::bind(path).expect_err("refused").to_string();
        assert!(error.contains(what) && error.contains("--socket"), "{error}");
    }
    assert_eq!(fs::read(&file).expect("kept"), b"precious");
    assert!(fs::symlink_metadata(&link).expect("kept").is_symlink());
    assert!(fs::symlink_metadata(&dangling).expect("kept").is_symlink());
}

#[test]
fn only_a_dead_socket_is_replaced_and_only_its_owner_connects() {
    let folder = Folder::new("replaced");
    let path = folder.path("socket");
    // A listener that is dropped leaves its file.
    drop(UnixListener::bind(&path).expect("a socket"));
    let first = Server::bind(&path).expect("the socket was dead");
    let file = fs::symlink_metadata(&path).expect("a socket");
    assert!(file.file_type().is_socket());
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    let error = Server::bind(&path).expect_err("in use").to_string();
    assert!(error.contains("another server listens"), "{error}");
    // A server removes its own socket only.
    fs::remove_file(&path).expect("removed");
    let second = Server::bind(&path).expect("nothing in the way");
    first.remove_socket();
    assert!(path.exists());
    second.remove_socket();
    assert!(!path.exists());
}
