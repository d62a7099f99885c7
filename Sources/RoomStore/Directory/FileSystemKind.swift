import Foundation
import RoomHost

/// The kind of file system under a directory, as far as it matters to databases.
package enum FileSystemKind: Equatable, Sendable {
    case disk
    case memory
    case network
    /// The writable layer of a container.
    case layer

    package static func of(_ path: String) -> FileSystemKind {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        // no such file: not Linux
        let mounts = KernelFile.text("/proc/self/mountinfo") ?? ""
        return Self(type: self.type(of: path, mounts: mounts))
    }

    /// The type of the file system that is mounted nearest above a path; of those mounted at one place, the last.
    static func type(of path: String, mounts: String) -> Substring {
        var nearest: (length: Int, type: Substring) = (0, "")
        for line in mounts.split(separator: "\n") {
            // 36 35 98:0 /mnt1 /mnt/parent rw,noatime master:1 - ext3 /dev/root rw (proc_pid_mountinfo)
            let fields = line.split(separator: " ")
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            let place = fields[4].replacing("\\040", with: " ")
            let isAbove = place == "/" || path == place || path.hasPrefix(place + "/")
            if isAbove, place.utf8.count >= nearest.length { nearest = (place.utf8.count, fields[dash + 1]) }
        }
        return nearest.type
    }

    init(type: Substring) {
        self =
            switch type {
            case "tmpfs", "ramfs": .memory
            case "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "ceph", "glusterfs", "fuse.glusterfs":
                .network
            case "overlay", "aufs": .layer
            default: .disk
            }
    }
}
