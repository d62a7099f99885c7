import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file of a Unix socket, and who is at the other end of one.
enum UnixSocket {
    /// Makes way for a socket at `path`: removes the one that a broker left which was killed.
    ///
    /// - Throws: `ListenError` where the path is too long, is something else, or somebody listens there.
    static func prepare(_ path: String) throws {
        guard path.utf8.count <= self.longestPath else {
            throw ListenError(
                "the path has \(path.utf8.count) bytes, and a Unix socket can have at most \(self.longestPath)"
            )
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ListenError("the file is not a socket; remove it or name another path")
        }
        guard !self.isServed(path) else {
            throw ListenError("another process serves it; stop that process or name another path")
        }
        unlink(path)  // if it fails, so does the bind, which says why
    }

    /// For the owner alone, whatever the umask; it was never wider than that.
    static func makePrivate(_ path: String) {
        chmod(path, 0o600)
    }

    static func remove(_ path: String) {
        unlink(path)
    }

    /// The user at the other end of a connection, as the kernel saw it connect; `nil` where it does not say.
    static func peer(of channel: any Channel) -> UInt32? {
        // It throws for a channel that is not a socket: then there is no user.
        let user = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { self.user($0) }
        return user?.flatMap(\.self)
    }

    /// Whether a user may administer this broker: its own, and root.
    static func mayConnect(_ user: UInt32) -> Bool { user == 0 || user == geteuid() }

    /// The bytes that `sun_path` holds, without its NUL.
    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private static func isServed(_ path: String) -> Bool {
        // It throws for what is not a path of a socket: then nobody can listen there.
        guard let address = try? SocketAddress(unixDomainSocketPath: path) else { return false }
        #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return address.withSockAddr { connect(descriptor, $0, socklen_t($1)) } == 0
    }

    #if os(Linux)
    private static func user(_ descriptor: CInt) -> UInt32? {
        // `struct ucred` of unix(7), which Glibc's module leaves out: process, user, group
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        return credentials.uid
    }
    #else
    private static func user(_ descriptor: CInt) -> UInt32? {
        var (user, group) = (uid_t(), gid_t())
        return getpeereid(descriptor, &user, &group) == 0 ? user : nil
    }
    #endif
}

/// Why the HTTP side cannot listen somewhere; completes "cannot listen on …: ".
package struct ListenError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
