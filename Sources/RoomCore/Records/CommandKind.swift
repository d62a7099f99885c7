/// The kinds of commands as the bytes say them. A number is never used for anything else again.
enum CommandKind: UInt8 {
    case publish = 1
    case join = 2
    case leave = 3
    case linger = 4
    case graceEnded = 5
    case update = 6
    case kick = 7
    case notice = 8
    case rules = 9
    case settings = 10
    case rename = 11
    case members = 12
    case history = 13
    case locate = 14
    case redact = 15
    case clear = 16
}
