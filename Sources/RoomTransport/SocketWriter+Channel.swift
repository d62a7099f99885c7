package import NIOCore
import NIOPosix
package import RoomDelivery

extension SocketWriter {
    /// Writes to the socket of a channel, past its pipeline; `nil` for a channel that is not a socket: then all goes through
    /// the pipeline.
    package static func past(_ context: ChannelHandlerContext) -> (any DirectWriter)? {
        try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { handle in
            SocketWriter(descriptor: handle)
        }
    }
}
