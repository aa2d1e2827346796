// SPDX-License-Identifier: MIT

import SearchIndex
import Testing

@Suite struct MountsTests {
  private let mounts = Mounts(
    """
    overlay / overlay rw 0 0
    proc /proc proc rw 0 0
    server:/home /home nfs4 rw 0 0
    /dev/sda1 /home/local ext4 rw 0 0
    none /mnt/a\\040b tmpfs rw 0 0
    //x/share /mnt/a\\040b cifs rw 0 0
    ssh /home/local/far fuse.sshfs rw 0 0

    """)

  @Test(arguments: [
    ("/", "overlay"), ("/etc/x", "overlay"), ("/home", "nfs4"), ("/home/films.store", "nfs4"), ("/homes", "overlay"),
    ("/home/local/films.store", "ext4"), ("/home/local/far/x", "fuse.sshfs"), ("/home/locally", "nfs4"),
    ("/mnt/a b/films.store", "cifs"),
  ])
  func `the innermost and latest mount is the one`(_ path: String, _ kind: String) {
    #expect(mounts.kind(of: path) == kind)
  }

  @Test func `file systems of other machines and of programs are remote`() {
    let remote = ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs", "ext4", "overlay", "tmpfs", "fuseblk"]
      .filter(Mounts.isRemote)
    #expect(remote == ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs"])
    #expect(Mounts("").kind(of: "/") == nil)
  }
}
