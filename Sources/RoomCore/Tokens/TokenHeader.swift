import RoomModel

/// The first part of a token. Its `typ` and whatever else it says mean nothing here.
enum TokenHeader {
    /// Refuses every algorithm but HS256, and extensions that have to be understood (`crit`, RFC 7515 §4.1.11).
    static func check(_ header: [UInt8]) throws(RequestError) {
        var algorithm: String?
        do throws(ClaimReader.Mismatch) {
            guard var reader = ClaimReader(header) else { throw ClaimReader.Mismatch() }
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key.text {
                case "alg":
                    guard algorithm == nil else { throw ClaimReader.Mismatch() }
                    algorithm = try reader.string() ?? ""
                case "crit": throw ClaimReader.Mismatch()
                default: try reader.skipValue()
                }
            }
            try reader.finish()
        } catch {
            throw .token("the header of the token has to be a JSON object with one 'alg' and without 'crit'")
        }
        guard let algorithm, algorithm.utf8.elementsEqual("HS256".utf8) else {
            throw .token("the token's 'alg' has to be HS256, signed with the channel's secret")
        }
    }
}
