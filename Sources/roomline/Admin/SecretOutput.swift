import ArgumentParser
import NIOCore
import RoomJSON

/// Where a command writes a secret that is shown once: to standard output, or to a file that only its owner can read.
struct SecretOutput: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write only the secret, token or link to this new file, with mode 0600.", valueName: "FILE"),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace the file of --output, if there is one.")
    var overwrite = false

    func validate() throws {
        guard !self.overwrite || self.output != nil else { throw ValidationError("--overwrite goes with --output.") }
    }

    /// Makes the file before the secret: one that cannot be written down is lost.
    func open<Value>(
        for make: () async throws -> Value
    ) async throws -> (value: Value, file: SecretFile?) {
        guard let path = self.output else { return (try await make(), nil) }
        let file = try self.overwrite ? SecretFile(replacing: path) : SecretFile(creating: path)
        do {
            return (try await make(), file)
        } catch {
            file.remove()
            throw error
        }
    }

    /// An object without its secret: what was written to a file need not stand in a log, too.
    static func without(_ field: String, _ json: ByteBuffer) throws -> ByteBuffer {
        guard case .object(let fields) = try JSONTree.read(json) else { return json }
        return JSONTree.object(fields.filter { $0.name != field }).bytes
    }
}
