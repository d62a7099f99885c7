import NIOCore
import RoomJSON

/// Reads the fields of the envelope and of the frequent frames where the scan of a line has found them. An optional field that is `null`
/// counts as absent.
protocol FieldReader {
    associatedtype Field: WireField
    associatedtype Fault: Error

    var source: ObjectSource { get }
    var scan: FrameScan<Field> { get }

    func fault(_ fault: FieldFault) -> Fault
}

extension FieldReader {
    func found(_ field: Field) -> FoundValue? {
        self.scan[field].map { FoundValue(source: self.source, name: field.name, place: $0) }
    }

    /// Whether the field is there and is not `null`.
    func has(_ field: Field) -> Bool { self.found(field)?.isNull == false }

    func value<Value: FieldValue>(_ field: Field, _ rule: FieldRule = .any) throws(Fault) -> Value? {
        guard let found = self.found(field), !found.isNull else { return nil }
        do throws(FieldFault) {
            return try Value.read(found, rule)
        } catch {
            throw self.fault(error)
        }
    }

    func required<Value: FieldValue>(_ field: Field, _ rule: FieldRule = .any) throws(Fault) -> Value {
        do throws(FieldFault) {
            guard let found = self.found(field), Value.takesNull(rule) || !found.isNull else {
                throw FieldFault(.missing(right: Value.right(rule)), path: ["\(field.name)"])
            }
            return try Value.read(found, rule)
        } catch {
            throw self.fault(error)
        }
    }

    /// The word that a string is; `nil` for one that we do not know.
    func word<Word: WireWord>(_ found: FoundValue) throws(Fault) -> Word? {
        do throws(FieldFault) {
            if let word = Word(name: try found.content()) { return word }
            // Only what matches no name as it stands is worth unescaping.
            var text = try found.text()
            return text.withUTF8 { Word(name: UnsafeRawBufferPointer($0)) }
        } catch {
            throw self.fault(error)
        }
    }

    /// The whole frame, as it is described.
    func body<Body: DescribedObject>(_: Body.Type = Body.self) throws(Fault) -> Body {
        do throws(FieldFault) {
            return try ObjectReader.read(from: self.source)
        } catch {
            throw self.fault(error)
        }
    }
}
