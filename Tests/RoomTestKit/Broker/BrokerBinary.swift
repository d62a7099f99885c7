import Foundation

/// The `roomline` executable that was built with these tests.
enum BrokerBinary {
    /// `ROOMLINE_BINARY`, or what lies beside the tests' bundle.
    static func locate() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["ROOMLINE_BINARY"] { return URL(filePath: path) }
        let bundle = Bundle(for: BrokerRun.self).bundleURL
        // Where bundles are directories it is beside this one; elsewhere this is the directory that the tests lie in.
        let places = [bundle, bundle.deletingLastPathComponent()].map { $0.appending(path: "roomline") }
        guard let binary = places.first(where: Self.isFile) else {
            throw BrokerFailure(reason: "the roomline executable is not built beside \(bundle.path)", log: [])
        }
        return binary
    }

    private static func isFile(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && !isDirectory.boolValue
    }
}
