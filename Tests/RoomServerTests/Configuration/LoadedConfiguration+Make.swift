@testable import RoomServer

extension LoadedConfiguration {
    /// Loads as `roomline serve` does, with a home that is always the same.
    static func make(
        _ flags: String...,
        environment: [String: String] = [:],
        file: String? = nil
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let environment = ["HOME": "/home/luke"].merging(environment) { $1 }
        return try ConfigurationLoader.load(flags: flags, environment: environment, file: file)
    }
}
