import ArgumentParser
import RoomClient

extension MemberColor {
    /// Reads what somebody has given as a colour.
    static func argument(_ text: String) throws -> MemberColor {
        do throws(RoomClientError) {
            return try MemberColor(TerminalText.line(text))
        } catch {
            throw ValidationError(error.message)
        }
    }
}
