import NIOCore
import RoomModel

extension FrameReader {
    func moderate() throws(RequestError) -> Request {
        let room = try self.room()
        let act = try FrameScan<ModerationField>.reading(self.line) { scan, bytes throws(RequestError) in
            do throws(JSONFault) {
                try scan.read(bytes, nestingLimit: self.limits.nesting)
            } catch {
                throw RequestError(error.code, error.text(in: bytes, nestingLimit: self.limits.nesting))
            }
            return try ModerationReader(line: self.line, bytes: bytes, scan: scan).act()
        }
        return .moderate(ModerationRequest(room: room, act: act))
    }
}
